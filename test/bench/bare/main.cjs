// The least that a desktop app can be: one sandboxed window with one heading.
const { app, BrowserWindow } = require('electron')

if (process.getuid?.() !== 0) app.enableSandbox()
app.whenReady().then(() => new BrowserWindow({ width: 1440, height: 900 }).loadURL('data:text/html,<nav>Bare</nav>'))
