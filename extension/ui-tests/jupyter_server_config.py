# The JupyterLab that the browser tests drive: open to this machine alone, on the port and in the folders that run.mjs chose.
import os

from jupyterlab.galata import configure_jupyter_server

configure_jupyter_server(c)  # noqa: F821
c.ServerApp.ip = "127.0.0.1"  # noqa: F821
c.ServerApp.port = int(os.environ["WARPCELL_UI_PORT"])  # noqa: F821
c.ServerApp.allow_root = True  # noqa: F821
c.ServerApp.log_level = "ERROR"  # noqa: F821
c.JupyterNotebookApp.expose_app_in_browser = True  # noqa: F821
# Where documents are shared, what was written of them.
c.SQLiteYStore.db_path = os.path.join(os.environ["TMPDIR"], "ystore.db")  # noqa: F821
