import type { HostChange, HostSummary } from '../../../../shared/ipc/connection.ts'

/** How many changes are remembered. */
const MAX_CHANGES = 50

const versions = ['appVersion', 'bridgeApiVersion'] as const
const watched = [...versions, 'apiFingerprint'] as const

/** What a host last said about itself, kept through answers that say less. */
export type KnownHost = Pick<HostSummary, 'instanceNonce' | (typeof watched)[number]>

export const UNKNOWN_HOST: KnownHost = {
  instanceNonce: null,
  appVersion: null,
  bridgeApiVersion: null,
  apiFingerprint: null,
}

export const mergeKnownHost = (known: KnownHost, host: KnownHost): KnownHost => ({
  instanceNonce: host.instanceNonce ?? known.instanceNonce,
  appVersion: host.appVersion ?? known.appVersion,
  bridgeApiVersion: host.bridgeApiVersion ?? known.bridgeApiVersion,
  apiFingerprint: host.apiFingerprint ?? known.apiFingerprint,
})

/** Versions and fingerprint of a host: with others it may list other routes. */
export const getHostIdentity = (host: KnownHost): string => JSON.stringify(watched.map((name) => host[name]))

/** What a host says that differs from what is known of it; null if nothing does. What it no longer says is no difference. */
export function detectHostChange(known: KnownHost, host: KnownHost): Pick<HostChange, 'restarted' | 'facts'> | null {
  const facts = watched.flatMap((name) => {
    const from = known[name]
    const to = host[name]
    return from === null || to === null || from === to ? [] : [{ name, from, to }]
  })
  const { instanceNonce: before } = known
  const isRunKnown = before !== null && host.instanceNonce !== null
  // Within one run the host has updated itself. Where it names no run, only a restart explains another version.
  const restarted = isRunKnown ? before !== host.instanceNonce : facts.some(({ name }) => name !== 'apiFingerprint')
  return restarted || facts.length > 0 ? { restarted, facts } : null
}

/** The changes with one more, noticed at `at`. */
export const addHostChange = (
  changes: readonly HostChange[],
  change: Pick<HostChange, 'restarted' | 'facts'> | null,
  at: number,
): HostChange[] => (change ? [{ at, ...change }, ...changes].slice(0, MAX_CHANGES) : [...changes])
