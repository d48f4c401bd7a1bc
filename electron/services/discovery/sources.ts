import { readdirSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { exposureOf } from '../files/exposure.ts'
import { readRegular } from '../files/regular.ts'
import { readTokenFile, type TokenFileProblem } from '../files/token-file.ts'
import { Secret } from '../secret.ts'

/** Where hosts and tokens lie on this machine (observed-0.49). `home` and `env` are given, so that a test can lay them out. */
export interface Places {
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export const realPlaces = (env: Places['env']): Places => ({ home: os.homedir(), env })

/** What a `bridge.json` says of the host that wrote it. */
export interface Announced {
  readonly port: number
  /** Of the run of the host that wrote it; null where the file names none. */
  readonly instanceNonce: string | null
}

/**
 * What the `bridge.json` files name: at the places of macOS, and at the one that `BRIDGE_INSPECTOR_BRIDGE_JSON` names. A file that cannot be read
 * is passed over (it may need full-disk access), and so is one that somebody else owns or can write to.
 */
export function announcedHosts({ home, env }: Places): Announced[] {
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
    // No such folder on other systems, or not ours to read.
  }
  return files.flatMap((file) => announcedIn(file) ?? [])
}

const announcedSchema = z.object({
  port: z.number().int().min(1).max(65_535),
  instanceNonce: z.string().min(1).nullable().catch(null),
})

function announcedIn(file: string): Announced | null {
  try {
    const { text, stats } = readRegular(file, { follow: true, maxBytes: 64 * 1024 })
    if (['foreign', 'writable'].includes(exposureOf(stats))) return null
    return announcedSchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** The token that lies on this machine, and what is wrong with its file; a file that cannot be relied on gives no token. */
export interface LocalToken {
  readonly source: 'environment' | 'token-file' | null
  readonly secret: Secret | null
  readonly problem: Exclude<TokenFileProblem, 'empty'> | null
}

/**
 * The token that lies on this machine: `MN_BRIDGE_TOKEN` first, then the file. It stays in the service process. `BRIDGE_TOKEN` is none of these: it
 * was given for the address of `--base-url`.
 */
export function localToken({ home, env }: Places): LocalToken {
  const fromEnv = env['MN_BRIDGE_TOKEN']?.trim()
  if (fromEnv) return { source: 'environment', secret: new Secret(fromEnv), problem: null }
  const { token, problem } = readTokenFile(path.join(home, '.config', 'mn-bridge', 'token')) ?? nothing
  if (token !== null) return { source: 'token-file', secret: new Secret(token), problem }
  return { source: null, secret: null, problem: problem === 'empty' ? null : problem }
}

const nothing = { token: null, problem: null } as const
