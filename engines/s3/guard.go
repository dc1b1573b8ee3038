package main

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/valyala/fasthttp"
	"github.com/versity/versitygw/backend"
	"github.com/versity/versitygw/s3api/middlewares"
	"github.com/versity/versitygw/s3api/utils"
	"github.com/versity/versitygw/s3err"
	"github.com/versity/versitygw/s3response"
)

// guard looks at names that come in bodies, and encodes names in lists.
type guard struct {
	backend.Backend
}

func (g guard) PutObject(ctx context.Context, input s3response.PutObjectInput) (s3response.PutObjectOutput, error) {
	if err := checkForm(ctx); err != nil {
		return s3response.PutObjectOutput{}, err
	}
	if err := checkKey(*input.Key); err != nil {
		return s3response.PutObjectOutput{}, err
	}
	return g.Backend.PutObject(ctx, input)
}

// checkForm refuses what the fields of a POST ask for and the server does not do.
func checkForm(ctx context.Context) error {
	request, ok := ctx.(*fasthttp.RequestCtx)
	if !ok {
		return nil
	}
	form, ok := request.UserValue(string(utils.ContextKeyObjectPostResult)).(middlewares.PostObjectResult)
	if !ok {
		return nil
	}
	for field := range form.Fields {
		if isEncryption(field) {
			return notImplemented(noEncryption)
		}
	}
	if hasFileName(form.Fields["key"]) {
		return notImplemented("${filename} is not replaced: write the name of the object into the field key.")
	}
	return nil
}

// DeleteObjects answers for each name by itself, as S3 does.
func (g guard) DeleteObjects(ctx context.Context, input *s3.DeleteObjectsInput) (s3response.DeleteResult, error) {
	var faults []types.Error
	var good []types.ObjectIdentifier
	for _, object := range input.Delete.Objects {
		if err := checkKey(text(object.Key)); err != nil {
			fault := err.(s3err.APIError)
			faults = append(faults, types.Error{
				Key:       object.Key,
				VersionId: object.VersionId,
				Code:      &fault.Code,
				Message:   &fault.Description,
			})
			continue
		}
		good = append(good, object)
	}
	result := s3response.DeleteResult{}
	if len(good) > 0 {
		input.Delete.Objects = good
		var err error
		if result, err = g.Backend.DeleteObjects(ctx, input); err != nil {
			return result, err
		}
	}
	result.Error = append(result.Error, faults...)
	return result, nil
}
