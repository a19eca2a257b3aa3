"""Tests of the table of individuals."""
