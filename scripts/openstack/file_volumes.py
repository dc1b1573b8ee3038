"""A driver of Cinder whose volumes are sparse files: their contents are true, but no host is connected to them."""
import io
import os
import subprocess

from cinder.volume import driver

GIB = 1024**3


class FileDriver(driver.VolumeDriver):
    VERSION = "1.0.0"
    CI_WIKI_NAME = "none"

    def _path(self, thing):
        return os.path.join(os.environ["VIRGA_VOLUMES"], thing["id"])

    def _copy(self, source, target):
        subprocess.run(["cp", "--sparse=always", self._path(source), self._path(target)], check=True)

    def _grow(self, volume, gib):
        os.truncate(self._path(volume), gib * GIB)

    def _remove(self, thing):
        if os.path.exists(self._path(thing)):
            os.remove(self._path(thing))

    def check_for_setup_error(self):
        os.makedirs(os.environ["VIRGA_VOLUMES"], exist_ok=True)

    def create_volume(self, volume):
        open(self._path(volume), "wb").close()
        self._grow(volume, volume["size"])

    def create_volume_from_snapshot(self, volume, snapshot):
        self._copy(snapshot, volume)
        self._grow(volume, volume["size"])

    def create_cloned_volume(self, volume, src_vref):
        self._copy(src_vref, volume)
        self._grow(volume, volume["size"])

    def delete_volume(self, volume):
        self._remove(volume)

    def extend_volume(self, volume, new_size):
        self._grow(volume, new_size)

    def create_snapshot(self, snapshot):
        self._copy({"id": snapshot["volume_id"]}, snapshot)

    def delete_snapshot(self, snapshot):
        self._remove(snapshot)

    def revert_to_snapshot(self, context, volume, snapshot):
        self._copy(snapshot, volume)
        self._grow(volume, volume["size"])

    def clone_image(self, context, volume, image_location, image_meta, image_service):
        # As it is: no format is converted, so that nothing needs qemu-img.
        self.create_volume(volume)
        with open(self._path(volume), "r+b") as file:
            image_service.download(context, image_meta["id"], file)
        return {}, True

    def copy_volume_to_image(self, context, volume, image_service, image_meta):
        with open(self._path(volume), "rb") as file:
            # What follows the last bytes that were written is not there.
            written = os.stat(self._path(volume)).st_blocks * 512
            contents = file.read(max(written, 512)).rstrip(b"\0")
        image_service.update(context, image_meta["id"], {}, io.BytesIO(contents or b"\0"), purge_props=False)

    def create_export(self, context, volume, connector):
        return None

    def ensure_export(self, context, volume):
        return None

    def remove_export(self, context, volume):
        return None

    def initialize_connection(self, volume, connector, **kwargs):
        return {"driver_volume_type": "fake", "data": {}}

    def terminate_connection(self, volume, connector, **kwargs):
        return None

    def _update_volume_stats(self):
        self._stats = {
            "volume_backend_name": "files",
            "vendor_name": "Virga",
            "driver_version": self.VERSION,
            "storage_protocol": "file",
            "total_capacity_gb": 10_000,
            "free_capacity_gb": 10_000,
            "reserved_percentage": 0,
        }
