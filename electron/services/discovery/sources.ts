import { existsSync, readdirSync, readFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Secret } from '../secret.ts'

/** Where hosts and tokens lie on this machine (observed-0.49). `home` and `env` are given, so that a test can lay them out. */
export interface Places {
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export const realPlaces = (): Places => ({ home: os.homedir(), env: process.env })

/**
 * Ports that the `bridge.json` files name: at the places of macOS, and at the one that `BRIDGE_INSPECTOR_BRIDGE_JSON` names.
 * A file that cannot be read is passed over (it may need full-disk access).
 */
export function announcedPorts({ home, env }: Places): number[] {
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
  return files.flatMap((file) => {
    const port = portIn(file)
    return port === null ? [] : [port]
  })
}

function portIn(file: string): number | null {
  try {
    if (!existsSync(file)) return null
    const { port } = JSON.parse(readFileSync(file, 'utf8')) as { port?: unknown }
    return typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536 ? port : null
  } catch {
    return null
  }
}

export interface LocalToken {
  readonly source: 'environment' | 'token-file'
  readonly secret: Secret
}

/** The token that lies on this machine: environment first, then the file. It stays in the service process. */
export function localToken({ home, env }: Places): LocalToken | null {
  const fromEnv = env['MN_BRIDGE_TOKEN']?.trim() || env['BRIDGE_TOKEN']?.trim()
  if (fromEnv) return { source: 'environment', secret: new Secret(fromEnv) }
  try {
    const text = readFileSync(path.join(home, '.config', 'mn-bridge', 'token'), 'utf8').trim()
    return text === '' ? null : { source: 'token-file', secret: new Secret(text) }
  } catch {
    return null
  }
}
