import { readdirSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { getExposure } from '../files/exposure.ts'
import { readRegularFile } from '../../system/regular-file.ts'
import { readTokenFile, type TokenFileProblem } from '../files/token-file.ts'
import { Secret } from '../secret.ts'

/** Places of hosts and tokens on this machine (observed-0.49). Tests pass their own. */
export interface MachineEnvironment {
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export function createMachineEnvironment(env: MachineEnvironment['env']): MachineEnvironment {
  return {
    home: os.homedir(),
    env,
  }
}

/** The content of a host's `bridge.json`. */
export interface AnnouncedHost {
  readonly port: number
  /** Identifies the run of the host that wrote the file; null if the file contains no nonce. */
  readonly instanceNonce: string | null
}

/**
 * Reads the `bridge.json` files in macOS's usual places and the one in
 * `BRIDGE_INSPECTOR_BRIDGE_JSON`. Files that cannot be read are skipped (reading may need full-disk
 * access), and so are files that another user owns or can write to.
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
    // The folder does not exist on other systems, or may not be read.
  }
  return files.flatMap((file) => readAnnouncedHost(file) ?? [])
}

const announcedSchema = z.object({
  port: z.number().int().min(1).max(65_535),
  instanceNonce: z.string().min(1).nullable().catch(null),
})

function readAnnouncedHost(file: string): AnnouncedHost | null {
  try {
    const { text, stats } = readRegularFile(file, { follow: true, maxBytes: 64 * 1024 })
    if (['foreign', 'writable'].includes(getExposure(stats))) return null
    return announcedSchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** The token of this machine and the problem of its file. An unsafe file yields no token. */
interface LocalToken {
  readonly source: 'environment' | 'token-file' | null
  readonly secret: Secret | null
  readonly problem: Exclude<TokenFileProblem, 'empty'> | null
}

/**
 * Reads this machine's token: `MN_BRIDGE_TOKEN` first, then the file. It stays in the service
 * process. `BRIDGE_TOKEN` is ignored, because it belongs to the address in `--base-url`.
 */
export function readLocalToken({ home, env }: MachineEnvironment): LocalToken {
  const fromEnv = env['MN_BRIDGE_TOKEN']?.trim()
  if (fromEnv) return { source: 'environment', secret: new Secret(fromEnv), problem: null }
  const { token, problem } = readTokenFile(path.join(home, '.config', 'mn-bridge', 'token')) ?? NO_TOKEN_FILE
  if (token !== null) return { source: 'token-file', secret: new Secret(token), problem }
  return { source: null, secret: null, problem: problem === 'empty' ? null : problem }
}

const NO_TOKEN_FILE = { token: null, problem: null } as const
