import { readdirSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { getExposure } from '../files/exposure.ts'
import { readRegularFile } from '../../system/regular-file.ts'
import { readTokenFile, type TokenFileProblem } from '../files/token-file.ts'
import { Secret } from '../secret.ts'

/** Where hosts and tokens are found on this machine (observed-0.49). `home` and `env` are parameters so that tests can set them up. */
export interface MachineEnvironment {
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export const createMachineEnvironment = (env: MachineEnvironment['env']): MachineEnvironment => ({
  home: os.homedir(),
  env,
})

/** What a `bridge.json` says about the host that wrote it. */
export interface AnnouncedHost {
  readonly port: number
  /** Identifies the run of the host that wrote the file; null if the file names none. */
  readonly instanceNonce: string | null
}

/**
 * What the `bridge.json` files announce: those in macOS's usual places, and the one that `BRIDGE_INSPECTOR_BRIDGE_JSON` names. A file is
 * skipped if it cannot be read (that may need full-disk access), or if somebody else owns it or can write to it.
 */
export function readAnnouncedHosts({ home, env }: MachineEnvironment): AnnouncedHost[] {
  const library = path.join(home, 'Library')
  const bundle = path.join('Application Support', 'MNAgentBridge', 'bridge.json')
  const containers = path.join(library, 'Containers')
  const files = [path.join(library, bundle)]
  if (env['BRIDGE_INSPECTOR_BRIDGE_JSON']) files.push(env['BRIDGE_INSPECTOR_BRIDGE_JSON'])
  try {
    for (const name of readdirSync(containers)) {
      if (/margin/i.test(name)) files.push(path.join(containers, name, 'Data', 'Library', bundle))
    }
  } catch {
    // No such folder on other systems, or one that we may not read.
  }
  return files.flatMap((file) => announcedIn(file) ?? [])
}

const announcedSchema = z.object({
  port: z.number().int().min(1).max(65_535),
  instanceNonce: z.string().min(1).nullable().catch(null),
})

function announcedIn(file: string): AnnouncedHost | null {
  try {
    const { text, stats } = readRegularFile(file, { follow: true, maxBytes: 64 * 1024 })
    if (['foreign', 'writable'].includes(getExposure(stats))) return null
    return announcedSchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** The token found on this machine, and what is wrong with its file; an untrustworthy file yields no token. */
interface LocalToken {
  readonly source: 'environment' | 'token-file' | null
  readonly secret: Secret | null
  readonly problem: Exclude<TokenFileProblem, 'empty'> | null
}

/**
 * The token found on this machine: `MN_BRIDGE_TOKEN` first, then the file. It stays in the service process. `BRIDGE_TOKEN` does not count
 * here, because it is meant for the address of `--base-url`.
 */
export function readLocalToken({ home, env }: MachineEnvironment): LocalToken {
  const fromEnv = env['MN_BRIDGE_TOKEN']?.trim()
  if (fromEnv) return { source: 'environment', secret: new Secret(fromEnv), problem: null }
  const { token, problem } = readTokenFile(path.join(home, '.config', 'mn-bridge', 'token')) ?? nothing
  if (token !== null) return { source: 'token-file', secret: new Secret(token), problem }
  return { source: null, secret: null, problem: problem === 'empty' ? null : problem }
}

const nothing = { token: null, problem: null } as const
