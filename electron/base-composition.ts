import type { Config } from './config.ts'
import type { AppPorts } from './handlers/app-ports.ts'
import { createBus } from './services/bus.ts'
import { checkDataDir } from './services/files/data-dir.ts'
import { copyDataDir } from './services/files/data-dir-copy.ts'
import { acquireDataDirLock } from './services/files/data-dir-lock.ts'
import { createFileSink, createLog, describeError } from './services/files/log.ts'
import { createNotices } from './services/notices.ts'
import { createProfiles } from './services/profiles/profiles.ts'
import { Redactor } from './services/redactor.ts'
import { createSettings } from './services/settings/settings.ts'
import { createVault } from './services/vault/vault.ts'

export type BaseServices = Awaited<ReturnType<typeof composeBase>>

/** @throws DATA_DIR_IN_USE, and the errors of `checkDataDir` */
export async function composeBase(config: Config, ports: AppPorts) {
  const warnings = [...checkDataDir(config.dataDir), ...config.warnings]
  const { isVisit = false, cipher } = ports
  const { dataDir, remove: releaseDataDir } = isVisit
    ? copyDataDir(config.dataDir)
    : {
        dataDir: config.dataDir,
        remove: acquireDataDirLock(config.dataDir, ports.acceptsProposals ? ports.mode : 'command'),
      }
  const redactor = new Redactor()
  const log = createLog(isVisit ? () => undefined : createFileSink(dataDir), redactor)
  const bus = createBus((error) => log.error('a listener failed', { reason: describeError(error) }))
  const notices = createNotices(bus)
  for (const warning of warnings) notices.add(warning)
  const settings = createSettings(dataDir, bus, notices)
  const vault = await createVault({ dataDir, cipher, redactor, log, notices, bus })
  const profiles = createProfiles(dataDir, vault, bus, notices)
  bus.on('vault.unlocked', () => profiles.publishChange())
  return {
    dataDir,
    isVisit,
    releaseDataDir,
    redactor,
    conceal: (text: string): string => redactor.conceal(text),
    holdsToken: (text: string): boolean => redactor.holdsToken(text),
    log,
    bus,
    notices,
    settings,
    vault,
    profiles,
  }
}
