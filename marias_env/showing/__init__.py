"""Deals for people: tables as text and pictures, transcripts, settlements in words."""
