import { isDialectName } from '../electron/demo-host/dialects/index.ts'
import { demoDialectNames, demoFaultDescriptions } from '../electron/demo-host/usage.ts'
import { isFaultName, type FaultName } from '../electron/demo-host/faults.ts'
import { startDemoHost as startServer } from '../electron/demo-host/server.ts'
import { MAX_GENERATED_CARDS } from '../electron/demo-host/library/generated-set.ts'
import type * as api from './api.ts'
import { checkOptions, explainListenError } from './options.ts'

const DEFAULT_NODES = 1_000
/** Tests should not wait as long as a person in front of a real host. */
const DEFAULT_SETTLE_MS = 100

export const startDemoHost: typeof api.startDemoHost = async (options = {}) => {
  checkOptions('startDemoHost', options)
  const { fault = null, dialect = '0.91', settleMs = DEFAULT_SETTLE_MS, ...rest } = options
  const nodes = rest.nodes ?? (rest.library === undefined ? DEFAULT_NODES : undefined)
  if (nodes !== undefined && !(Number.isInteger(nodes) && nodes >= 1 && nodes <= MAX_GENERATED_CARDS))
    throw new TypeError(`nodes takes a whole number from 1 to ${MAX_GENERATED_CARDS}, not ${JSON.stringify(nodes)}.`)
  if (!isDialectName(dialect)) throw createNameError('dialect', dialect, demoDialectNames)
  const host = await startServer({
    ...rest,
    ...(nodes === undefined ? {} : { nodes }),
    settleMs,
    dialect,
    stepMs: settleMs,
    fault: parseFault(fault),
  }).catch(explainListenError)
  return {
    baseUrl: host.baseUrl,
    port: host.port,
    token: host.token,
    requests: () => [...host.log],
    setFault: (name) => host.setFault(parseFault(name)),
    setLatency: host.setLatency,
    editAsUser: host.editAsUser,
    restart: host.restart,
    close: host.close,
    [Symbol.asyncDispose]: host.close,
  }
}

export function parseFault(name: string | null): FaultName | null {
  if (name === null || isFaultName(name)) return name
  throw createNameError('fault', name, Object.keys(demoFaultDescriptions))
}

const createNameError = (kind: string, name: string, names: readonly string[]): TypeError =>
  new TypeError(`There is no ${kind} "${name}". The demo host has: ${names.join(', ')}.`)
