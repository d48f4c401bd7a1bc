import { parseConfig, refuseToken, type Config } from '../../electron/config.ts'
import { usageError } from '../command.ts'
import type { HostOptions } from '../flags.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The configuration that the flags of a command mean; parsed by the same code as the flags of the program itself. */
export function configOf(options: HostOptions, env: Environment): Config {
  const ways = [options.profile, options.baseUrl, options.demo].filter((way) => way !== undefined && way !== false)
  if (ways.length > 1)
    throw usageError('--profile, --base-url and --demo each say which host is meant. Use only one of them.')
  const flags: string[] = options.demo ? ['--demo'] : []
  const values = {
    'base-url': options.baseUrl,
    'demo-nodes': options.demoNodes,
    'demo-dialect': options.demoDialect,
    'token-file': options.tokenFile,
    'data-dir': options.dataDir,
  }
  for (const [name, value] of Object.entries(values)) if (value !== undefined) flags.push(`--${name}=${value}`)
  refuseToken(flags)
  return { ...parseConfig(flags, env), profile: options.profile ?? null }
}
