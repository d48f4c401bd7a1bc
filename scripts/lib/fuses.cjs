/**
 * These fuses permanently switch features of the packaged executable off or on, so that nobody can
 * turn the app into a Node that runs their script under its name and with its keyring, attach an
 * inspector, or replace our archive. See number 19 of Electron's security checklist:
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
  // This fuse affects speed, not safety; it is listed because every fuse must be.
  WasmTrapHandlers: true,
}

/**
 * Sets every fuse of an executable and reads them back. Returns the names of those that this
 * Electron does not have yet.
 *
 * @throws Error when Electron has a fuse that is not listed here, as a newer one may, or when a
 *   fuse has the wrong state afterwards.
 */
exports.applyFuses = async (executable) => {
  const { flipFuses, FuseV1Options, FuseVersion } = await import('@electron/fuses')
  const presentFuses = await exports.readFuses(executable)
  const unlistedFuses = presentFuses.filter(({ name }) => !Object.hasOwn(exports.fuses, name))
  if (unlistedFuses.length > 0)
    throw new Error(`Nobody has decided on fuse ${unlistedFuses.map(({ name }) => name).join(', ')}.`)
  const fuseSettings = presentFuses.map(({ name }) => [FuseV1Options[name], exports.fuses[name]])
  await flipFuses(executable, {
    version: FuseVersion.V1,
    strictlyRequireAllFuses: true,
    resetAdHocDarwinSignature: process.platform === 'darwin' && process.arch === 'arm64',
    ...Object.fromEntries(fuseSettings),
  })
  const wrongFuses = (await exports.readFuses(executable)).filter(({ name, on }) => on !== exports.fuses[name])
  if (wrongFuses.length > 0) throw new Error(`Not as decided: fuse ${wrongFuses.map(({ name }) => name).join(', ')}.`)
  return Object.keys(exports.fuses).filter((name) => !presentFuses.some((fuse) => fuse.name === name))
}

/**
 * Reads the fuses of an executable, in order, with their state: true, false, or null if Electron's
 * own default holds.
 */
exports.readFuses = async (executable) => {
  const { FuseState, FuseV1Options, getCurrentFuseWire } = await import('@electron/fuses')
  const wire = await getCurrentFuseWire(executable)
  const stateByValue = { [FuseState.ENABLE]: true, [FuseState.DISABLE]: false }
  return Object.keys(wire)
    .filter((key) => /^\d+$/.test(key))
    .map((key) => ({ name: FuseV1Options[key] ?? `number ${key}`, on: stateByValue[wire[key]] ?? null }))
}
