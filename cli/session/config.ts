import { parseConfig, refuseToken, type Config } from '../../electron/config.ts'
import { usageError } from '../command.ts'
import type { HostOptions } from '../flags.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The configuration that the flags of a command mean; parsed by the same code as the flags of the program itself. */
export function configOf(options: HostOptions, env: Environment): Config {
  const ways = [options.profile, options.baseUrl, options.demo].filter((way) => way !== undefined && way !== false)
  if (ways.length > 1)
    throw usageError('--profile, --base-url and --demo each say which host is meant. Use only one of them.')
  refuseIdle(options)
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

/** A flag that would have no effect is refused: whoever typed it expects one. */
function refuseIdle({ demo, demoNodes, demoDialect, tokenFile }: HostOptions): void {
  if (demo !== true && demoNodes !== undefined) throw usageError('--demo-nodes takes effect only with --demo.')
  if (demo !== true && demoDialect !== undefined) throw usageError('--demo-dialect takes effect only with --demo.')
  if (demo === true && tokenFile !== undefined)
    throw usageError('--token-file has no effect with --demo: the demo host has a token of its own.')
}
