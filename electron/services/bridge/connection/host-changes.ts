import type { HostChange, HostSummary } from '../../../../shared/ipc/connection.ts'

const MAX_CHANGES = 50

const VERSION_FACTS = ['appVersion', 'bridgeApiVersion'] as const
const COMPARED_FACTS = [...VERSION_FACTS, 'apiFingerprint'] as const

/** The latest known facts about a host, retained when a later response leaves them out. */
export type KnownHost = Pick<HostSummary, 'instanceNonce' | (typeof COMPARED_FACTS)[number]>

export const UNKNOWN_HOST: KnownHost = {
  instanceNonce: null,
  appVersion: null,
  bridgeApiVersion: null,
  apiFingerprint: null,
}

export function mergeKnownHost(knownHost: KnownHost, host: KnownHost): KnownHost {
  return {
    instanceNonce: host.instanceNonce ?? knownHost.instanceNonce,
    appVersion: host.appVersion ?? knownHost.appVersion,
    bridgeApiVersion: host.bridgeApiVersion ?? knownHost.bridgeApiVersion,
    apiFingerprint: host.apiFingerprint ?? knownHost.apiFingerprint,
  }
}

/** A host with other versions or another fingerprint may list other routes. */
export function getHostIdentity(host: KnownHost): string {
  return JSON.stringify(COMPARED_FACTS.map((name) => host[name]))
}

/** A fact that the host no longer states is no difference. Returns null if nothing changed. */
export function detectHostChange(
  knownHost: KnownHost,
  host: KnownHost,
): Pick<HostChange, 'restarted' | 'facts'> | null {
  const facts = COMPARED_FACTS.flatMap((name) => {
    const from = knownHost[name]
    const to = host[name]
    return from === null || to === null || from === to ? [] : [{ name, from, to }]
  })
  const { instanceNonce: previousNonce } = knownHost
  const isRunKnown = previousNonce !== null && host.instanceNonce !== null
  // With the same nonce the host updated itself; without nonces a version tells a restart.
  const restarted = isRunKnown
    ? previousNonce !== host.instanceNonce
    : facts.some(({ name }) => name !== 'apiFingerprint')
  return restarted || facts.length > 0 ? { restarted, facts } : null
}

/** Puts a change first in the list, with its time in epoch milliseconds. */
export function addHostChange(
  changes: readonly HostChange[],
  change: Pick<HostChange, 'restarted' | 'facts'> | null,
  timestamp: number,
): HostChange[] {
  return change ? [{ at: timestamp, ...change }, ...changes].slice(0, MAX_CHANGES) : [...changes]
}
