"""The application of Barbican with a file of pipelines that is not in /etc."""
import os

from paste import deploy

application = deploy.loadapp("config:" + os.environ["VIRGA_PIPELINES"])
