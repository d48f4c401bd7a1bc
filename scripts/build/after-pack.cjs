const { rmSync } = require('node:fs')
const path = require('node:path')
const { flip } = require('../lib/fuses.cjs')

/** electron-builder's hook between packing and signing. */
module.exports = async ({ electronPlatformName, appOutDir, packager }) => {
  const name = packager.appInfo.productFilename
  const executable =
    electronPlatformName === 'darwin'
      ? path.join(appOutDir, `${name}.app`)
      : electronPlatformName === 'win32'
        ? path.join(appOutDir, `${name}.exe`)
        : path.join(appOutDir, packager.executableName)
  // An Electron that was taken from another app may still hold that app's entry; only our archive
  // is to be found.
  for (const stray of ['app', 'default_app.asar'])
    rmSync(path.join(appOutDir, 'resources', stray), { recursive: true, force: true })
  const missing = await flip(executable)
  process.stdout.write('  • fuses are flipped and read back\n')
  if (missing.length > 0) process.stdout.write(`  • this Electron does not have the fuse ${missing.join(', ')}\n`)
}
