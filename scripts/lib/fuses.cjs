/**
 * What is permanently switched off, or on, in the packaged executable, so that nobody can turn the app into a Node that runs their script
 * under its name and with its keyring, attach an inspector, or replace our archive. Electron's security checklist, 19:
 * https://www.electronjs.org/docs/latest/tutorial/security#19-check-which-fuses-you-can-change
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
  // A matter of speed, not of safety; listed because every fuse has to be.
  WasmTrapHandlers: true,
}

/** Flips every fuse of an executable. Throws if it has one that is not listed here, as a newer Electron may. */
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
