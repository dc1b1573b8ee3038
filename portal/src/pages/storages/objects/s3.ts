import { apiCall, type Schemas } from '../../../api/client.ts';

/** Requests of S3 about one bucket. Each has an address that the API signs for it; this server passes it on, so that the
 *  page asks its own origin alone, whatever the bucket's rules of CORS say. */

export interface BucketOf {
  readonly storage: number;
  readonly bucket: string;
}

export interface StoredObject {
  readonly key: string;
  readonly size: number;
  /** ISO 8601. */
  readonly modified: string;
}

export interface Version extends StoredObject {
  readonly version: string;
  readonly isLatest: boolean;
  /** It says that the object was deleted then. */
  readonly isDeletion: boolean;
}

export interface Listing {
  /** Common beginnings of keys, each with the slash at its end. */
  readonly folders: readonly string[];
  readonly objects: readonly StoredObject[];
  /** Where the next page begins. */
  readonly next: string | undefined;
}

type Method = Schemas['SignStorageUrl']['method'];
type Query = Readonly<Record<string, string>>;

export interface Requested {
  readonly method: Method;
  /** Absent: the bucket itself. */
  readonly key?: string;
  readonly query?: Query;
}

const SIGN = '/virga/v1/object_storages/{storage_id}/signed_urls';
const PAGE = '200';

/** The call that signs an address, by which it is known who may ask for it. */
export const signing = (
  { storage, bucket }: BucketOf,
  { method, key, query = {} }: Requested,
  seconds = 300,
) =>
  apiCall('post', SIGN, {
    params: { path: { storage_id: storage } },
    body: {
      method,
      path: key === undefined ? `/${bucket}` : `/${bucket}/${key}`,
      parameters: { ...query },
      expires_seconds: seconds,
    },
  });

/** Signs an address.
 *  @throws what the API refused with */
export async function sign(
  of: BucketOf,
  requested: Requested,
  seconds?: number,
): Promise<Schemas['SignedStorageUrl']> {
  const { data, error } = await signing(of, requested, seconds).send();
  if (error !== undefined) throw error;
  return data as Schemas['SignedStorageUrl'];
}

/** @throws what the API or the storage refused with */
export async function ask(of: BucketOf, requested: Requested, init: RequestInit = {}): Promise<Response> {
  const { passed_on } = await sign(of, requested);
  const answer = await fetch(passed_on, { ...init, method: requested.method });
  if (!answer.ok) throw await refusalOf(answer);
  return answer;
}

/** What a storage refused with, in the form of the API. */
async function refusalOf(answer: Response): Promise<{ readonly message: string }> {
  const said = await answer.text();
  const message = said.startsWith('{')
    ? JSON.parse(said).message
    : textOf(parsed(said).documentElement, 'Message');
  return { message: message || `The storage answers ${answer.status}` };
}

const parsed = (xml: string) => new DOMParser().parseFromString(xml, 'application/xml');
const textOf = (element: Element, name: string) => element.getElementsByTagName(name)[0]?.textContent ?? '';
const all = (document: Document, name: string) => [...document.getElementsByTagName(name)];

const objectOf = (element: Element): StoredObject => ({
  key: textOf(element, 'Key'),
  size: Number(textOf(element, 'Size')),
  modified: textOf(element, 'LastModified'),
});

async function xmlOf(of: BucketOf, requested: Requested): Promise<Document> {
  return parsed(await (await ask(of, requested)).text());
}

/** One folder of a bucket, a page of it.
 *  @param after where the page begins */
export async function listFolder(of: BucketOf, prefix: string, after?: string): Promise<Listing> {
  const query = {
    'list-type': '2',
    delimiter: '/',
    prefix,
    'max-keys': PAGE,
    ...(after ? { 'continuation-token': after } : {}),
  };
  const document = await xmlOf(of, { method: 'GET', query });
  return {
    folders: all(document, 'CommonPrefixes').map((element) => textOf(element, 'Prefix')),
    objects: all(document, 'Contents')
      .map(objectOf)
      .filter(({ key }) => key !== prefix),
    next: textOf(document.documentElement, 'NextContinuationToken') || undefined,
  };
}

/** All versions of one object, the newest first. */
export async function listVersions(of: BucketOf, key: string): Promise<readonly Version[]> {
  const document = await xmlOf(of, { method: 'GET', query: { versions: '', prefix: key, 'max-keys': PAGE } });
  const found = ['Version', 'DeleteMarker'].flatMap((name) =>
    all(document, name).map((element) => ({
      ...objectOf(element),
      version: textOf(element, 'VersionId'),
      isLatest: textOf(element, 'IsLatest') === 'true',
      isDeletion: name === 'DeleteMarker',
    })),
  );
  return found.filter((one) => one.key === key).sort((a, b) => b.modified.localeCompare(a.modified));
}

/** Whether a bucket keeps what is overwritten or deleted. */
export async function keepsVersions(of: BucketOf): Promise<boolean> {
  const document = await xmlOf(of, { method: 'GET', query: { versioning: '' } });
  return textOf(document.documentElement, 'Status') === 'Enabled';
}

export const keepVersions = (of: BucketOf, isOn: boolean) =>
  ask(
    of,
    { method: 'PUT', query: { versioning: '' } },
    {
      headers: { 'content-type': 'application/xml' },
      body: `<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>${isOn ? 'Enabled' : 'Suspended'}</Status></VersioningConfiguration>`,
    },
  );

const versionQuery = (version?: string): Query => (version ? { versionId: version } : {});

/** @param version absent: the newest */
export const removeObject = (of: BucketOf, key: string, version?: string) =>
  ask(of, { method: 'DELETE', key, query: versionQuery(version) });

/** An address of an object that this page may show or download, for some minutes. */
export const addressOf = async (of: BucketOf, key: string, version?: string): Promise<string> =>
  (await sign(of, { method: 'GET', key, query: versionQuery(version) })).passed_on;

/** Saves an object as a file. */
export async function download(of: BucketOf, key: string, version?: string): Promise<void> {
  const link = document.createElement('a');
  link.href = await addressOf(of, key, version);
  link.download = key.split('/').at(-1) ?? key;
  link.click();
}
