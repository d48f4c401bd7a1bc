import type { EventMessage } from '../../../shared/ipc/method-definition.ts'
import { createBus, type Bus } from '../../../electron/services/bus.ts'
import { createLog, type Log } from '../../../electron/services/files/log.ts'
import { createNotices, type Notices } from '../../../electron/services/notices.ts'
import { createProfiles, type Profiles } from '../../../electron/services/profiles/profiles.ts'
import { Redactor } from '../../../electron/services/redactor.ts'
import type { Cipher } from '../../../electron/services/vault/cipher.ts'
import { createVault, type Vault } from '../../../electron/services/vault/vault.ts'

/** What every service is given, with everything it reports kept in memory. */
export interface ServiceEnvironment {
  readonly bus: Bus
  readonly notices: Notices
  readonly log: Log
  readonly redactor: Redactor
  readonly events: EventMessage[]
  readonly lines: string[]
}

export function createServiceEnvironment(): ServiceEnvironment {
  const bus = createBus()
  const events: EventMessage[] = []
  bus.subscribe((event) => events.push(event))
  const lines: string[] = []
  const redactor = new Redactor()
  const log = createLog((line) => lines.push(line), redactor)
  return { bus, notices: createNotices(bus), log, redactor, events, lines }
}

/** Codes of the current notices. */
export const listNoticeCodes = ({ notices }: ServiceEnvironment): string[] => notices.list().map(({ code }) => code)

/** Vault and profiles on a data directory, as after a start of the program. */
export async function startStores(
  dataDir: string,
  cipher: Cipher | null = null,
): Promise<ServiceEnvironment & { vault: Vault; profiles: Profiles }> {
  const around = createServiceEnvironment()
  const vault = await createVault({ dataDir, cipher, ...around, patienceMs: 200 })
  const profiles = createProfiles(dataDir, vault, around.bus, around.notices)
  return { ...around, vault, profiles }
}
