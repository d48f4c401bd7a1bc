import { createRefusedError } from '../../shared/errors.ts'
import { ipcMethods, isMethodName, type MethodName } from '../../shared/ipc/index.ts'
import type { Handlers } from './app-ports.ts'

/** Queries that send a request, or that speak about what is not there. */
const REFUSED_QUERIES: ReadonlySet<MethodName> = new Set<MethodName>([
  'callers.who',
  'connection.doctor',
  'connection.test',
  'discovery.scan',
  'lab.plan',
  'operations.prepare',
  'traffic.send',
])

/** Commands that only change what this program shows or keeps for itself. */
const ALLOWED_COMMANDS: ReadonlySet<MethodName> = new Set<MethodName>([
  'app.dismissNotice',
  'app.openExternal',
  'app.reportFault',
  'app.reportUnsaved',
  'app.revealSaved',
  'connection.retry',
  'console.saveTabs',
  'content.release',
  'content.save',
  'contract.judgeAgain',
  'contract.mark',
  'contract.mute',
  'findings.mute',
  'findings.unmute',
  'operations.seen',
  'operations.seenAll',
  'traffic.pin',
])

const isAllowed = (method: MethodName): boolean =>
  ipcMethods[method].kind === 'query' ? !REFUSED_QUERIES.has(method) : ALLOWED_COMMANDS.has(method)

/** Refuses what would send or change something recorded; reads go to the recording's server. */
export function refuseSending(handlers: Handlers): Handlers {
  const refuse = (): never => {
    throw createRefusedError(
      'RECORDING_READ_ONLY',
      'A recording is open: nothing can be sent or changed. Close the recording first.',
    )
  }
  const entries = Object.entries(handlers).map(([name, handler]) => [
    name,
    isMethodName(name) && isAllowed(name) ? handler : refuse,
  ])
  // Each member is a handler of the same method, or takes no input.
  return Object.fromEntries(entries) as Handlers
}
