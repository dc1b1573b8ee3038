package main

import (
	"strings"
	"unicode/utf8"

	"github.com/versity/versitygw/s3err"
)

const (
	maxKeyBytes     = 1024
	maxSegmentBytes = 255
	// Where versitygw keeps uploads that are not whole.
	reserved = ".sgwtmp"
)

// checkKey refuses names of objects that, as names of files, would be those of other objects, or could not be listed.
func checkKey(key string) error {
	if len(key) > maxKeyBytes {
		return tooLong("The name of an object must have at most 1024 bytes.")
	}
	if !utf8.ValidString(key) {
		return invalid("The name of an object must be UTF-8.")
	}
	for _, letter := range key {
		if letter < 0x20 || letter == 0x7f || letter == 0xfffe || letter == 0xffff {
			return invalid("The name of an object must not have control characters.")
		}
	}
	segments := strings.Split(key, "/")
	for i, segment := range segments {
		isEnd := i == len(segments)-1 && i > 0
		switch {
		case segment == "." || segment == ".." || (segment == "" && !isEnd):
			return invalid("The name of an object must not have empty segments, nor segments that are . or ..")
		case segment == reserved:
			return invalid("The name of an object must not have a segment that is " + reserved)
		case len(segment) > maxSegmentBytes:
			return tooLong("A segment of the name of an object must have at most 255 bytes.")
		}
	}
	return nil
}

func invalid(message string) error {
	return s3err.APIError{Code: "InvalidArgument", Description: message, HTTPStatusCode: 400}
}

func tooLong(message string) error {
	return s3err.APIError{Code: "KeyTooLongError", Description: message, HTTPStatusCode: 400}
}

func notImplemented(message string) error {
	return s3err.APIError{Code: "NotImplemented", Description: message, HTTPStatusCode: 501}
}
