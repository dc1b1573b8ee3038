"""The life of storages and of snapshots by schedules, see sdk_parts."""

from sdk_parts import check, client, cloud, gone

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


PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4ISIbgyTnaeeEfyqQCf6HFhVkn4rlnVF+Z4BqJRAfF me@virga"


def sftp_storage():
    names = [location.name for location in storage.locations.list() if location.type == "sftp"]
    check("simulated" in names, "there is a location of SFTP")
    keys = storage.ssh_keys
    key = keys.create(name="sdk-laptop", public_key=PUBLIC_KEY)
    check(keys.get(key.id).public_key == PUBLIC_KEY, "a key is added")
    check([row.id for row in keys.list(name="sdk-laptop")] == [key.id], "it is listed")
    storages = storage.sftp_storages
    # A storage without an end shows null, since the infrastructure tool would change an empty text for ever; strict
    # types do not accept that.
    request = {"location_name": "simulated", "name": "sdk-files", "password_mode": "auto", "expires": "1 year"}
    made = storages.create(**request, ssh_key_ids=[key.id])
    check((made.provisioning_status, len(made.password) > 20) == ("active", True), "a storage is made, with a password")
    check([row.id for row in storages.list(name="sdk-files")] == [made.id], "it is listed")
    read = storages.get(made.id)
    check((read.full_name, read.ssh_key_ids, read.has_password) == (made.full_name, [key.id], True), "it is read")
    changed = storages.update(made.id, expires="2 years 6 months", password_mode="none")
    check((changed.expires, changed.has_password) == ("2 years 6 months", False), "it is changed")
    keys.delete(key.id)
    gone(lambda: keys.get(key.id), "the key")
    check(storages.get(made.id).ssh_key_ids == [], "it opens the storage no more")
    storages.delete(made.id)
    gone(lambda: storages.get(made.id), "the storage")


def snapshot_schedules():
    # The older version does not know them.
    if not hasattr(cloud, "snapshot_schedules"):
        return
    policies = cloud.snapshot_schedules
    volume = cloud.volumes.create_and_poll(name="sdk scheduled", source="new-volume", size=2)
    nightly = {"type": "cron", "hour": "3", "max_quantity": 7, "retention_time": {"days": 7}}
    body = {"name": "sdk nightly", "action": "volume_snapshot", "schedules": [nightly], "volume_ids": [volume.id]}
    most = policies.estimate_max_usage(**body)
    check((most.max_volume_snapshot_count_usage, most.max_volume_snapshot_size_usage) == (7, 14), "usage is estimated")
    policy = policies.create(**body)
    check([own.volume_id for own in policy.volumes] == [volume.id], "a policy has its volume")
    check((policy.schedules[0].timezone, policy.schedules[0].retention_time.days) == ("UTC", 7), "and its schedule")
    check(policies.update(policy.id, status="paused").status == "paused", "it is paused")
    check(policy.id in [row.id for row in policies.list().results], "it is listed")
    more = policies.add_schedules(policy.id, schedules=[{"type": "interval", "hours": 6}]).schedules
    check([own.type for own in more] == ["cron", "interval"], "it gets a schedule")
    left = policies.remove_schedules(policy.id, schedule_ids=[more[0].id]).schedules
    check([own.id for own in left] == [more[1].id], "it loses one")
    check(policies.remove_volumes(policy.id, volume_ids=[volume.id]).volumes == [], "it loses its volume")
    check(len(policies.add_volumes(policy.id, volume_ids=[volume.id]).volumes) == 1, "it gets it again")
    check(policies.get(policy.id).schedules == left, "it is read")
    check(cloud.volume_snapshots.list(lifecycle_policy_id=policy.id).results == [], "it has no snapshots yet")
    policies.delete(policy.id)
    gone(lambda: policies.get(policy.id), "the policy")
    cloud.volumes.delete_and_poll(volume.id)


PARTS = {part.__name__: part for part in (object_storage, sftp_storage, snapshot_schedules)}
