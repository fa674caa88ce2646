package search

// Called gives the tests outside the package what a question calls for.
var Called = called
