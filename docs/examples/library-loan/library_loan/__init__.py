"""A worked example: a library that lends books, added to pausegen through entry points alone."""
