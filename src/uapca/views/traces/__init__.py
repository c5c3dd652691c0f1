"""Factor traces as marks: the course of an axis, what thickness and colour say, its labels."""
