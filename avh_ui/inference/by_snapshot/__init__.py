"""Deequ's suggestion rules (VLDB 2018, section 4): what one batch's profile suggests, held against all the pipeline's other batches."""
