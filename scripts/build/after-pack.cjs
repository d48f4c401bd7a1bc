const { rmSync } = require('node:fs')
const path = require('node:path')
const { applyFuses } = require('../lib/fuses.cjs')

/** electron-builder calls this hook between packing and signing. */
module.exports = async ({ electronPlatformName, appOutDir, packager }) => {
  const name = packager.appInfo.productFilename
  const executable =
    electronPlatformName === 'darwin'
      ? path.join(appOutDir, `${name}.app`)
      : electronPlatformName === 'win32'
        ? path.join(appOutDir, `${name}.exe`)
        : path.join(appOutDir, packager.executableName)
  // An Electron that was taken from another app may still hold that app's entry, which Electron
  // would find before our archive.
  for (const stray of ['app', 'default_app.asar'])
    rmSync(path.join(appOutDir, 'resources', stray), { recursive: true, force: true })
  const missing = await applyFuses(executable)
  process.stdout.write('  • fuses are flipped and read back\n')
  if (missing.length > 0) process.stdout.write(`  • this Electron does not have the fuse ${missing.join(', ')}\n`)
}
