// A library that is no plugin.
int nothing_of_that_name;
