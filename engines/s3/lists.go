package main

import (
	"context"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/valyala/fasthttp"
	"github.com/versity/versitygw/s3response"
)

const fileName = "${filename}"

func hasFileName(key string) bool { return strings.Contains(key, fileName) }

func text(pointer *string) string {
	if pointer == nil {
		return ""
	}
	return *pointer
}

// isEncoded: the client asks for names that are encoded as in URLs.
func isEncoded(ctx context.Context) bool {
	request, ok := ctx.(*fasthttp.RequestCtx)
	return ok && string(request.QueryArgs().Peek("encoding-type")) == "url"
}

// encode writes all but letters, digits and -_.~/ as %XX, so that clients which take + for a space read it, too.
func encode(name string) string {
	return strings.NewReplacer("+", "%20", "%2F", "/").Replace(url.QueryEscape(name))
}

func encodeAll(names ...**string) {
	for _, name := range names {
		if *name != nil {
			encoded := encode(**name)
			*name = &encoded
		}
	}
}

func encodePrefixes(prefixes []types.CommonPrefix) {
	for i := range prefixes {
		encodeAll(&prefixes[i].Prefix)
	}
}

func (g guard) ListObjects(ctx context.Context, input *s3.ListObjectsInput) (s3response.ListObjectsResult, error) {
	result, err := g.Backend.ListObjects(ctx, input)
	if err == nil && isEncoded(ctx) {
		result.EncodingType = types.EncodingTypeUrl
		encodeAll(&result.Prefix, &result.Marker, &result.NextMarker, &result.Delimiter)
		encodePrefixes(result.CommonPrefixes)
		for i := range result.Contents {
			encodeAll(&result.Contents[i].Key)
		}
	}
	return result, err
}

func (g guard) ListObjectsV2(ctx context.Context, input *s3.ListObjectsV2Input) (s3response.ListObjectsV2Result, error) {
	result, err := g.Backend.ListObjectsV2(ctx, input)
	if err == nil && isEncoded(ctx) {
		result.EncodingType = types.EncodingTypeUrl
		encodeAll(&result.Prefix, &result.StartAfter, &result.Delimiter)
		encodePrefixes(result.CommonPrefixes)
		for i := range result.Contents {
			encodeAll(&result.Contents[i].Key)
		}
	}
	return result, err
}

func (g guard) ListObjectVersions(ctx context.Context, input *s3.ListObjectVersionsInput) (s3response.ListVersionsResult, error) {
	result, err := g.Backend.ListObjectVersions(ctx, input)
	if err == nil && isEncoded(ctx) {
		result.EncodingType = types.EncodingTypeUrl
		encodeAll(&result.Prefix, &result.KeyMarker, &result.NextKeyMarker, &result.Delimiter)
		encodePrefixes(result.CommonPrefixes)
		for i := range result.Versions {
			encodeAll(&result.Versions[i].Key)
		}
		for i := range result.DeleteMarkers {
			encodeAll(&result.DeleteMarkers[i].Key)
		}
	}
	return result, err
}

func (g guard) ListMultipartUploads(ctx context.Context, input *s3.ListMultipartUploadsInput) (s3response.ListMultipartUploadsResult, error) {
	result, err := g.Backend.ListMultipartUploads(ctx, input)
	if err == nil && isEncoded(ctx) {
		result.EncodingType = string(types.EncodingTypeUrl)
		for _, name := range []*string{&result.KeyMarker, &result.NextKeyMarker, &result.Delimiter, &result.Prefix} {
			*name = encode(*name)
		}
		for i := range result.CommonPrefixes {
			result.CommonPrefixes[i].Prefix = encode(result.CommonPrefixes[i].Prefix)
		}
		for i := range result.Uploads {
			result.Uploads[i].Key = encode(result.Uploads[i].Key)
		}
	}
	return result, err
}
