"""The review application: a Panel app, thin views over state classes."""
