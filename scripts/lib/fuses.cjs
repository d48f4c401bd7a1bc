/**
 * What is switched off, or on, inside the packaged executable for good. Nobody can turn the app into a Node that runs their
 * script under its name and its keyring, attach an inspector, or put another archive in the place of ours.
 */
exports.fuses = {
  RunAsNode: false,
  EnableCookieEncryption: true,
  EnableNodeOptionsEnvironmentVariable: false,
  EnableNodeCliInspectArguments: false,
  EnableEmbeddedAsarIntegrityValidation: true,
  OnlyLoadAppFromAsar: true,
  LoadBrowserProcessSpecificV8Snapshot: false,
  GrantFileProtocolExtraPrivileges: false,
  // A question of speed, not of safety; named because every fuse has to be.
  WasmTrapHandlers: true,
}

/** Flips every fuse of an executable. Throws when it has one that is not named here, as a newer Electron may. */
exports.flip = async (executable) => {
  const { flipFuses, FuseV1Options, FuseVersion } = await import('@electron/fuses')
  const wanted = Object.fromEntries(Object.entries(exports.fuses).map(([name, on]) => [FuseV1Options[name], on]))
  await flipFuses(executable, {
    version: FuseVersion.V1,
    strictlyRequireAllFuses: true,
    resetAdHocDarwinSignature: process.platform === 'darwin' && process.arch === 'arm64',
    ...wanted,
  })
}
