const path = require('node:path')
const { flip } = require('./lib/fuses.cjs')

/** electron-builder's hook between packing and signing. */
module.exports = async ({ electronPlatformName, appOutDir, packager }) => {
  const name = packager.appInfo.productFilename
  const executable =
    electronPlatformName === 'darwin'
      ? path.join(appOutDir, `${name}.app`)
      : electronPlatformName === 'win32'
        ? path.join(appOutDir, `${name}.exe`)
        : path.join(appOutDir, packager.executableName)
  await flip(executable)
}
