package main

import (
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v3"
	"github.com/versity/versitygw/s3api/utils"
	"github.com/versity/versitygw/s3err"
)

const (
	noEncryption = "Objects are not encrypted on the server: encrypt them before the upload, or leave the header out."
	oldSignature = "Signatures of version 2 are not taken. Use version 4: signature_version = s3v4 for the AWS CLI and " +
		"Config(signature_version=\"s3v4\") for boto3."
	encryptionPrefix = "x-amz-server-side-encryption"
	copyEncryption   = "x-amz-copy-source-server-side-encryption"
)

// refuse is a middleware before everything else: names are looked at as they were sent, before any part of the server
// has cleaned them.
func refuse(domain string) fiber.Handler {
	return func(ctx fiber.Ctx) error {
		if err := checkRequest(ctx, domain); err != nil {
			requestID, hostID := utils.EnsureRequestIDs(ctx)
			ctx.Set(fiber.HeaderContentType, fiber.MIMEApplicationXML)
			fault := err.(s3err.APIError)
			return ctx.Status(fault.HTTPStatusCode).Send(fault.XMLBody(requestID, hostID))
		}
		return ctx.Next()
	}
}

func checkRequest(ctx fiber.Ctx, domain string) error {
	if isOldSignature(ctx) {
		return s3err.APIError{Code: "InvalidRequest", Description: oldSignature, HTTPStatusCode: 400}
	}
	for header := range ctx.Request().Header.All() {
		if isEncryption(string(header)) {
			return notImplemented(noEncryption)
		}
	}
	query := ctx.Request().URI().QueryArgs()
	for argument := range query.All() {
		if isEncryption(string(argument)) {
			return notImplemented(noEncryption)
		}
	}
	if encoding := query.Peek("encoding-type"); len(encoding) > 0 && string(encoding) != "url" {
		return invalid("encoding-type must be url")
	}
	path := string(ctx.Request().URI().PathOriginal())
	if isHostStyle(ctx, domain) {
		path = strings.TrimPrefix(path, "/")
	} else {
		path = withoutBucket(path)
	}
	if err := checkEncodedKey(path); err != nil {
		return err
	}
	source, _, _ := strings.Cut(ctx.Get("x-amz-copy-source"), "?")
	return checkEncodedKey(withoutBucket("/" + strings.TrimPrefix(source, "/")))
}

func isOldSignature(ctx fiber.Ctx) bool {
	query := ctx.Request().URI().QueryArgs()
	return strings.HasPrefix(ctx.Get(fiber.HeaderAuthorization), "AWS ") ||
		query.Has("AWSAccessKeyId") && query.Has("Signature")
}

// isEncryption knows the headers, form fields and parameters that ask for encryption on the server.
func isEncryption(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, encryptionPrefix) || strings.HasPrefix(name, copyEncryption)
}

// isHostStyle says whether the bucket is in the host name, as versitygw decides it.
func isHostStyle(ctx fiber.Ctx, domain string) bool {
	bucket, _, found := strings.Cut(string(ctx.Request().Host()), "."+domain)
	return domain != "" && found && bucket != ""
}

// withoutBucket takes the first segment of a path away, be its slashes encoded or not.
func withoutBucket(path string) string {
	path = strings.TrimPrefix(path, "/")
	for i := range path {
		if path[i] == '/' {
			return path[i+1:]
		}
		if path[i] == '%' && strings.EqualFold(path[i:min(i+3, len(path))], "%2f") {
			return path[i+3:]
		}
	}
	return ""
}

func checkEncodedKey(encoded string) error {
	if encoded == "" {
		return nil
	}
	key, err := url.PathUnescape(encoded)
	if err != nil {
		return invalid("The name of an object is not encoded as a URL.")
	}
	return checkKey(key)
}
