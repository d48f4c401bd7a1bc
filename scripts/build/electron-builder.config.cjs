const { existsSync, readFileSync } = require('node:fs')
const path = require('node:path')
const afterPack = require('./after-pack.cjs')

/**
 * ELECTRON_DIST names a folder with an unpacked Electron, for machines that cannot download its
 * archive.
 */
const dist = process.env.ELECTRON_DIST
const versionFile = dist ? path.join(dist, 'version') : ''
const electron = dist
  ? {
      electronDist: dist,
      electronVersion: existsSync(versionFile) ? readFileSync(versionFile, 'utf8').trim() : undefined,
    }
  : {}

const createTarget = (target) => ({ target, arch: ['x64', 'arm64'] })

/**
 * The package contains an archive with the bundles and the demo's files, and nothing that is not
 * run.
 */
module.exports = {
  ...electron,
  appId: 'net.bridge-inspector.app',
  productName: 'Bridge Inspector',
  executableName: 'bridge-inspector',
  artifactName: 'bridge-inspector-${version}-${os}-${arch}.${ext}',
  directories: { output: 'dist', buildResources: 'resources' },
  files: [
    'out/main/**',
    'out/page/**',
    'out/preload/**',
    'out/renderer/**',
    'resources/demo/**',
    '!resources/demo/panels/*/test/**',
    'resources/panel/**',
    'resources/bridge.d.ts',
    'package.json',
    '!node_modules/**',
    '!**/*.map',
  ],
  // These files can be read without starting the program; the builder puts Electron's and
  // Chromium's licenses next to them.
  extraFiles: [
    { from: 'LICENSE', to: 'LICENSE.txt' },
    { from: 'out/renderer/third-party-licenses.txt', to: 'third-party-licenses.txt' },
  ],
  asar: true,
  npmRebuild: false,
  // Chromium's own texts are kept only in the app's two languages.
  electronLanguages: ['en-US', 'zh-CN', 'en', 'zh_CN'],
  // The fuses are flipped after packing and before signing, so that the signature covers them.
  afterPack,
  // Links into the app open a place, and do nothing else.
  protocols: [{ name: 'Bridge Inspector', schemes: ['bridge-inspector'] }],
  fileAssociations: [
    {
      ext: 'birec',
      name: 'Bridge Inspector recording',
      mimeType: 'application/x-bridge-inspector-recording',
      role: 'Viewer',
    },
  ],
  mac: {
    category: 'public.app-category.developer-tools',
    target: [createTarget('dmg'), createTarget('zip')],
    icon: 'resources/icon.icns',
    hardenedRuntime: true,
    gatekeeperAssess: false,
    entitlements: 'resources/entitlements.mac.plist',
    entitlementsInherit: 'resources/entitlements.mac.plist',
    // The credentials come from the environment: APPLE_ID, APPLE_APP_SPECIFIC_PASSWORD and
    // APPLE_TEAM_ID, or a key of App Store Connect.
    notarize: Boolean(process.env.APPLE_TEAM_ID ?? process.env.APPLE_API_KEY),
  },
  win: { target: [createTarget('nsis')], icon: 'resources/icon.ico' },
  nsis: {
    oneClick: false,
    perMachine: false,
    allowToChangeInstallationDirectory: true,
    deleteAppDataOnUninstall: false,
  },
  linux: {
    category: 'Development',
    icon: 'resources/icons',
    synopsis: 'See, debug and test what happens between a plugin and its host',
    maintainer: 'Bridge Inspector',
    vendor: 'Bridge Inspector',
    // The list is empty, not absent: otherwise electron-builder would put `--no-sandbox` into the
    // AppImage's menu entry.
    executableArgs: [],
    target: [createTarget('AppImage'), createTarget('tar.gz')],
  },
}
