"""SQL conditions on Arrow columns, as Spark evaluates them without ANSI mode.

What is evaluated here has Spark's values, row by row; all else is declined with a reason (`DeclinedError`) and takes Spark. What Spark
would refuse, too, is told in a sentence (`ConditionError`) before anything is read.
"""
