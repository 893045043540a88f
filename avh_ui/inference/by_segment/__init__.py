"""Rules on segments: what goes wrong in one part of a table, and too little in all of it to be seen."""
