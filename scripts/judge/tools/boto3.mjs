// @ts-check
import path from 'node:path';
import { pythonPackages } from '../packages.mjs';
import { storageEnv } from '../storages.mjs';

const PROGRAM = `
import io
import urllib.request
import boto3
from botocore.config import Config

client = boto3.client("s3", config=Config(signature_version="s3v4", s3={"addressing_style": "path"}))
client.create_bucket(Bucket="sdk")
content = b"abc" * 7_000_000
client.upload_fileobj(io.BytesIO(content), "sdk", "a folder/large")
back = io.BytesIO()
client.download_fileobj("sdk", "a folder/large", back)
assert back.getvalue() == content
client.put_object(Bucket="sdk", Key="small", Body=b"small", Metadata={"made": "by boto3"})
assert client.head_object(Bucket="sdk", Key="small")["Metadata"] == {"made": "by boto3"}
link = client.generate_presigned_url("get_object", Params={"Bucket": "sdk", "Key": "small"})
assert urllib.request.urlopen(link).read() == b"small"
keys = [item["Key"] for page in client.get_paginator("list_objects_v2").paginate(Bucket="sdk") for item in page["Contents"]]
assert keys == ["a folder/large", "small"]
client.delete_objects(Bucket="sdk", Delete={"Objects": [{"Key": key} for key in keys]})
client.delete_bucket(Bucket="sdk")
`;

/** @type {import('../tool.d.ts').Tool} */
export const boto3 = {
  name: 'boto3',
  version: '1.44.8',
  does: 'an object storage: uploads in parts, metadata, presigned links, pages, deletions',
  needs: ['python3'],
  async run(context) {
    const bin = await pythonPackages(context, ['boto3==1.44.8']);
    await context.run(path.join(bin, 'python'), ['-'], { input: PROGRAM, env: await storageEnv(context) });
    return undefined;
  },
};
