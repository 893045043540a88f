"""The engine without Spark: the same kernel in this process and in workers of this machine."""
