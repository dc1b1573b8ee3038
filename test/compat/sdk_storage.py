"""The life of object storage, see sdk_parts."""

from sdk_parts import check, client, gone

storage = client.storage


def object_storage():
    names = [location.name for location in storage.locations.list()]
    check("simulated" in names, "there is a location")
    made = storage.object_storages.create(location_name="simulated", name="sdk-media")
    check((made.provisioning_status, len(made.access_keys)) == ("active", 1), "a storage is made, with a key")
    check([row.id for row in storage.object_storages.list(name="sdk-media")] == [made.id], "it is listed")
    check(storage.object_storages.get(made.id).full_name == made.full_name, "it is read")
    keys_and_buckets(made.id)
    span = {"from_": "2026-01-01T00:00:00Z", "to": "2026-01-02T00:00:00Z"}
    check(storage.statistics.get_usage_aggregated(**span) is not None, "what was used is added up")
    check(storage.statistics.get_usage_series(granularity="1h", **span) is not None, "and shown over time")
    storage.object_storages.delete(made.id)
    gone(lambda: storage.object_storages.get(made.id), "the storage")
    storage.object_storages.restore(made.id)
    check(storage.object_storages.get(made.id).provisioning_status == "active", "it is restored")
    storage.object_storages.delete(made.id)


def keys_and_buckets(storage_id):
    keys = storage.object_storages.access_keys
    key = keys.create(storage_id)
    check(keys.get(key.access_key, storage_id=storage_id).access_key == key.access_key, "a key is made")
    check(len(list(keys.list(storage_id))) == 2, "keys are listed")
    keys.delete(key.access_key, storage_id=storage_id)
    gone(lambda: keys.get(key.access_key, storage_id=storage_id), "the key")
    buckets = storage.object_storages.buckets
    buckets.create(storage_id, name="photos")
    changed = buckets.update("photos", storage_id=storage_id, lifecycle={"expiration_days": 3})
    check(changed.lifecycle.expiration_days == 3, "a bucket is changed")
    check([row.name for row in buckets.list(storage_id)] == ["photos"], "buckets are listed")
    check(not buckets.get("photos", storage_id=storage_id).policy.is_public, "a bucket is read")
    buckets.delete("photos", storage_id=storage_id)
    gone(lambda: buckets.get("photos", storage_id=storage_id), "the bucket")


PARTS = {object_storage.__name__: object_storage}
