const afterPack = require('./scripts/after-pack.cjs')

/** How the app is packaged: an archive with the bundles and the demo's files, and nothing that is not run. */
module.exports = {
  appId: 'net.bridge-inspector.app',
  productName: 'Bridge Inspector',
  executableName: 'bridge-inspector',
  directories: { output: 'dist', buildResources: 'resources' },
  files: ['out/main/**', 'out/preload/**', 'out/renderer/**', 'resources/demo/**', 'package.json', '!node_modules/**'],
  // Readable without starting the program; the builder puts Electron's and Chromium's licenses next to them.
  extraFiles: [
    { from: 'LICENSE', to: 'LICENSE.txt' },
    { from: 'out/renderer/third-party-licenses.txt', to: 'third-party-licenses.txt' },
  ],
  asar: true,
  npmRebuild: false,
  // The fuses are flipped after packing and before signing, so that the signature covers them.
  afterPack,
  mac: {
    category: 'public.app-category.developer-tools',
    target: [{ target: 'dmg', arch: ['x64', 'arm64'] }],
    hardenedRuntime: true,
  },
  win: { target: [{ target: 'nsis', arch: ['x64'] }] },
  nsis: { oneClick: false, perMachine: false, allowToChangeInstallationDirectory: true },
  linux: {
    category: 'Development',
    // Empty, not absent: otherwise electron-builder would put `--no-sandbox` into the AppImage's menu entry.
    executableArgs: [],
    target: [
      { target: 'AppImage', arch: ['x64'] },
      { target: 'tar.gz', arch: ['x64'] },
    ],
  },
}
