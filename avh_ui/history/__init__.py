"""A pipeline's profiles over its batches, and the metric series they give."""
