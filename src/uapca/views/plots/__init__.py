"""One plot a file: a function from data, a fit or traces to a `Panel` or a `Sheet`."""
