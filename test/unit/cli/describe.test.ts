import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadCommands } from '../../../cli/commands/index.ts'
import { createCompletionScript, shells } from '../../../cli/describe/completion-script.ts'
import { getFlags } from '../../../cli/base/command.ts'
import { demoFaultDescriptions } from '../../../electron/demo-host/usage.ts'
import { formatCommandHelp, formatProgramHelp } from '../../../cli/describe/help.ts'
import { createManPage } from '../../../scripts/lib/man-page.ts'
import { createCommandLineDoc } from '../../../scripts/lib/command-line-doc.ts'
import { programExits } from '../../../electron/system/program-exits.ts'
import { splitCommandLine, parseCommand } from '../../../cli/base/command-line.ts'
import { root } from '../../../scripts/lib/paths.mjs'
import { runCommandLine } from '../../support/program/command-line.ts'
import { startComposedApp } from '../../support/program/composed-app.ts'
import { startDemo } from '../../support/hosts/demo.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'

const commands = await loadCommands()

const readProjectFile = (file: string): string => readFileSync(path.join(root, file), 'utf8')
const findCommand = (name: string) => commands.find((command) => command.name === name) ?? commands[0]

describe('text about the commands', () => {
  test('is generated from the commands (npm run docs)', () => {
    const { version } = JSON.parse(readProjectFile('package.json')) as { version: string }
    expect(readProjectFile('docs/command-line.md')).toBe(createCommandLineDoc(commands))
    expect(readProjectFile('docs/bridge-inspector.1')).toBe(createManPage(commands, version))
  })

  test('names every command, every flag and every exit code', () => {
    const reference = readProjectFile('docs/command-line.md')
    for (const command of commands) {
      expect(reference).toContain(`\n## ${command.name}\n`)
      expect(formatProgramHelp(commands)).toContain(`\n  ${command.name} `)
      for (const { name } of getFlags(command)) {
        expect(reference).toContain(`--${name}`)
        expect(formatCommandHelp(command)).toContain(`--${name}`)
      }
      expect(command.examples.length).toBeGreaterThan(0)
    }
    for (const { code } of Object.values(programExits)) expect(reference).toContain(`| ${code} | `)
  })

  test.each([40, 80, 200])('fills a terminal of %i columns, and no more', (columns) => {
    for (const text of [
      ...commands.map((command) => formatCommandHelp(command, columns)),
      formatProgramHelp(commands, columns),
    ]) {
      // A command line is copied as a whole, and a long word or name is not cut.
      const lines = text.split('\n').filter((line) => !line.startsWith('  bridge-inspector ') && /\S\s+\S/.test(line))
      const widest = Math.max(...lines.map((line) => line.length))
      expect(widest).toBeLessThanOrEqual(columns)
      if (text.length > columns * 20) expect(widest).toBeGreaterThan(columns - 20)
    }
  })

  test('has the width of the terminal, or else one of its own', async () => {
    const [call] = commands.filter(({ name }) => name === 'call')
    if (!call) throw new Error('no call')
    expect(formatCommandHelp(call, 10)).toBe(formatCommandHelp(call, 40))
    // A file has no width.
    for (const args of [
      ['help', 'call'],
      ['call', '--help'],
    ]) {
      expect((await runCommandLine(args, { typed: [] })).stdout.toString()).toContain(formatCommandHelp(call, 80))
      expect((await runCommandLine(args)).stdout.toString()).toContain(formatCommandHelp(call))
    }
  })

  test('describes every fault of the demo host', () => {
    const demoHost = findCommand('demo-host')
    if (!demoHost) throw new Error('no demo-host')
    const texts = [
      formatCommandHelp(demoHost).replace(/\s+/g, ' '),
      readProjectFile('docs/command-line.md'),
      readProjectFile('docs/bridge-inspector.1'),
    ]
    for (const [fault, description] of Object.entries(demoFaultDescriptions)) {
      expect(texts[0]).toContain(`${fault} ${description}`)
      expect(texts[1]).toContain(`| \`${fault}\``)
      expect(texts[2]).toContain(fault.replaceAll('-', '\\-'))
    }
  })

  test('has examples that can be parsed', () => {
    for (const command of commands) {
      for (const { commandLine: line } of command.examples) {
        const firstCommandLine = line.split(/ \| | > | && | >> /)[0] ?? ''
        const words = [...firstCommandLine.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
        const { command: commandName, rest } = splitCommandLine(words, commands)
        const target = findCommand(commandName ?? 'open')
        if (target && !target.isPassThrough) expect(() => parseCommand(target, rest)).not.toThrow()
      }
    }
  })

  test.skipIf(!existsSync('includes a manual page that groff accepts without warnings'))(
    'is a manual page that groff has nothing to say about',
    () => {
      const page = path.join(root, 'docs/bridge-inspector.1')
      const { stderr, status } = spawnSync('/usr/bin/groff', ['-man', '-ww', '-z', page], { encoding: 'utf8' })
      expect([status, stderr]).toEqual([0, ''])
    },
  )

  test('names only existing commands in the guide', () => {
    const used = [
      ...readProjectFile('docs/guide/command-line.md').matchAll(/bridge-inspector (?:--\S+ )*([a-z][a-z-]+)/g),
    ].map(([, name]) => name)
    expect(used.length).toBeGreaterThan(3)
    expect(used.filter((name) => !commands.some((command) => command.name === name))).toEqual([])
  })
})

describe('flags', () => {
  test('take a value in every command or in none, but for --sarif, so that they may stand before it', () => {
    const takesValueByName = new Map<string, boolean>()
    for (const { name, valueName } of commands.flatMap(getFlags)) {
      if (name === 'sarif') continue
      expect(takesValueByName.get(name) ?? valueName !== undefined).toBe(valueName !== undefined)
      takesValueByName.set(name, valueName !== undefined)
    }
    expect(splitCommandLine(['--sarif', 'findings', '--fail'], commands).command).toBe('findings')
    expect(splitCommandLine(['panel', './panel', '--sarif', 'a.sarif'], commands).command).toBe('panel')
  })

  test('mean the same before and after the command', () => {
    const before = splitCommandLine(['--format', 'csv', '--quiet', 'tree', 'X', '--sub-map=Y'], commands)
    const after = splitCommandLine(['tree', 'X', '--format', 'csv', '--sub-map', 'Y', '--quiet'], commands)
    const tree = findCommand('tree')
    if (!tree) throw new Error('no tree')
    expect([before.command, after.command]).toEqual(['tree', 'tree'])
    const { args, options } = parseCommand(tree, before.rest)
    expect(parseCommand(tree, after.rest)).toMatchObject({ args, options })
    expect(splitCommandLine(['--demo'], commands)).toEqual({ command: null, rest: ['--demo'] })
  })
})

describe('invalid command line', () => {
  test.each([
    [['tre', 'x'], 'There is no command "tre". Did you mean tree? --help lists the commands.'],
    [['qqqqqq'], 'There is no command "qqqqqq". --help lists the commands.'],
    [
      ['tree', 'x', '--formt', 'csv'],
      'Unknown flag --formt. Did you mean --format? --help lists what this command takes.',
    ],
    [['serve', '--no-opne'], 'Unknown flag --no-opne. Did you mean --no-open? --help lists what this command takes.'],
    [['demo-host', '--port'], '--port needs a value. --help lists what this command takes.'],
    [['--bogus'], 'Unknown flag --bogus. --help lists what this command takes.'],
    [
      ['status', '--base-url', 'http://127.0.0.1:9', '--demo-nodes', '5'],
      '--demo-nodes takes effect only with --demo.',
    ],
    [['status', '--profile', 'x', '--demo-dialect', 'loose'], '--demo-dialect takes effect only with --demo.'],
    [
      ['status', '--demo', '--token-file', 'x'],
      '--token-file has no effect with --demo: the demo host has a token of its own.',
    ],
    [['export', 'map', 'T', '--pages', '1'], '--pages takes effect only with export document.'],
    [['export', 'document', 'M', '--file-name', 'x'], '--file-name takes effect only with export map.'],
    [['demo-host', '--fault', 'none'], `--fault takes one of ${Object.keys(demoFaultDescriptions).join(', ')}.`],
    [['status', '--json=1'], '--json takes no value, or true or false.'],
    [['panel', '.', '--sarif='], '--sarif needs a value. --help lists what this command takes.'],
    [['status', 'x'], 'There are more arguments than this command takes. --help lists what this command takes.'],
    [['tree'], 'An argument is missing: TOPIC. --help lists what this command takes.'],
    [['completion', 'tcsh'], 'SHELL takes one of bash, zsh, fish, powershell, values.'],
    [['status', '-tSECRET'], 'Unknown flag -t. --help lists what this command takes.'],
  ])('fails with code 2 and a hint for %j', async (words, sentence) => {
    expect(await runCommandLine(words)).toMatchObject({ code: 2, stderr: `FLAG_INVALID: ${sentence}\n` })
  })

  test('-V means --version, and a switch can be turned off', async () => {
    const version = { code: 0, stdout: Buffer.from('1.2.3\n') }
    expect(await runCommandLine(['-V'])).toMatchObject(version)
    expect(await runCommandLine(['--version'])).toMatchObject(version)
    const dataDir = ['--data-dir', createTempDir()]
    expect((await runCommandLine(['profiles', '--json=true', ...dataDir])).stdout.toString()).toBe('[]\n')
    expect((await runCommandLine(['profiles', '--json=false', ...dataDir])).stdout.toString()).toBe('')
  })

  test('passes only the checked flags on to another program', async () => {
    const passed: string[][] = []
    const runProgram = async (_: string, args: readonly string[]): Promise<number> => passed.push([...args])
    await runCommandLine(['serve', '--demo=true', '--record=false', '--panel', 'x'], { host: { runProgram } })
    expect(passed).toEqual([['--demo', '--panel', 'x']])
  })
})

describe('completion', () => {
  const writeScript = (text: string): string => {
    const scriptPath = path.join(createTempDir(), 'completion')
    writeFileSync(scriptPath, text)
    return scriptPath
  }

  /** Returns an environment in which the program is a script with a few values. */
  const createProgramEnv = () => {
    const folder = createTempDir()
    const lines = [
      "profiles) printf 'My Work\\nTest\\nMy Home\\n'",
      'topics) echo T-1',
      'notes) echo N-1',
      'parts) echo P-1',
    ]
    const paths = ["paths) printf '/status\\n/search\\n'", "methods) printf 'GET\\nPOST\\n'"]
    const text = `#!/bin/sh\ncase "$3" in ${[...lines, ...paths].join(';; ')};; esac\n`
    writeFileSync(path.join(folder, 'bridge-inspector'), text, { mode: 0o755 })
    return { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}` }
  }

  test.each(shells)('covers every command and flag in %s', (shell) => {
    const script = createCompletionScript(shell, commands)
    for (const command of commands) {
      expect(script).toContain(command.name)
      for (const { name } of getFlags(command)) expect(script).toMatch(new RegExp(`(?:--|-l )${name}\\b`))
    }
  })

  test.skipIf(!existsSync('completes in fish'))('completes in fish', () => {
    const script = writeScript(createCompletionScript('fish', commands))
    const complete = (line: string): string[] => {
      const text = `source ${script}; complete -C '${line}'`
      const { stdout, status } = spawnSync('/usr/bin/fish', ['--no-config', '-c', text], {
        encoding: 'utf8',
        env: createProgramEnv(),
      })
      expect(status).toBe(0)
      return stdout
        .trim()
        .split('\n')
        .map((line) => line.split('\t')[0] ?? '')
    }
    expect(complete('bridge-inspector tr')).toEqual(['tree'])
    expect(complete('bridge-inspector --demo sta')).toEqual(['status'])
    expect(complete('bridge-inspector tree X --sub')).toEqual(['--sub-map'])
    expect(complete('bridge-inspector tree --format n')).toEqual(['ndjson'])
    expect(complete('bridge-inspector status --profile M').sort()).toEqual(['My Home', 'My Work'])
    expect(complete('bridge-inspector --quiet tree --format csv T')).toEqual(['T-1'])
    expect(complete('bridge-inspector call GET /st')).toEqual(['/status'])
    expect(complete('bridge-inspector cards N-1 N')).toEqual(['N-1'])
    expect(complete('bridge-inspector demo-host --fault ht').sort()).toEqual(['html-500', 'html-content'])
  })

  test.skipIf(!existsSync('offers the flags of the command in zsh, wherever the command stands'))(
    'offers in zsh what belongs to the command, wherever that stands',
    () => {
      const script = writeScript(createCompletionScript('zsh', commands))
      const completeInZsh = (...words: string[]): string => {
        const stubs = 'compdef() { : }; _describe() { print -l -- $commands }; _arguments() { print -l -- "$@" }'
        const set = `words=(${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length}`
        const text = `${stubs}; . ${script}; ${set}; _bridge_inspector`
        const { stdout, stderr, status } = spawnSync('/usr/bin/zsh', ['-f', '-c', text], { encoding: 'utf8' })
        expect([status, stderr]).toEqual([0, ''])
        return stdout
      }
      expect(completeInZsh('bridge-inspector', '')).toContain('tree:')
      for (const words of [
        ['tree', 'X', '--'],
        ['--demo', 'tree', '--'],
      ]) {
        expect(completeInZsh('bridge-inspector', ...words)).toContain('--sub-map[')
      }
      expect(completeInZsh('bridge-inspector', 'completion', '')).toContain('(bash zsh fish powershell values)')
      expect(completeInZsh('bridge-inspector', 'tree', '')).toContain('2:topic: _bridge_inspector_values topics')
      expect(completeInZsh('bridge-inspector', 'status', '--')).toContain(':NAME: _bridge_inspector_values profiles')
    },
  )

  test.skipIf(!existsSync('completes in bash'))('completes in bash', () => {
    const script = writeScript(createCompletionScript('bash', commands))
    const complete = (...words: string[]): string[] => {
      const set = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}`
      const text = `. ${script}; ${set}; _bridge_inspector; printf '%s\\n' "\${COMPREPLY[@]}"`
      const { stdout, status } = spawnSync('/bin/bash', ['--norc', '-c', text], { encoding: 'utf8' })
      expect(status).toBe(0)
      return stdout.trim().split('\n')
    }
    expect(complete('bridge-inspector', 'tr')).toEqual(['tree'])
    expect(complete('bridge-inspector', 'tree', 'X', '--sub')).toEqual(['--sub-map'])
    expect(complete('bridge-inspector', 'tree', '--format', 'n')).toEqual(['ndjson'])
    expect(complete('bridge-inspector', 'completion', 'f')).toEqual(['fish'])
  })

  test.skipIf(!existsSync('completes values in bash, also those with spaces'))(
    'completes values in bash, also those with spaces',
    () => {
      const script = writeScript(createCompletionScript('bash', commands))
      const env = createProgramEnv()
      const complete = (...words: string[]): string[] => {
        const set = `COMP_WORDS=(${words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')})`
        const text = `. ${script}; ${set}; COMP_CWORD=${words.length - 1}; _bridge_inspector; printf '%s\\n' "\${COMPREPLY[@]}"`
        return spawnSync('/bin/bash', ['--norc', '-c', text], { encoding: 'utf8', env }).stdout.trim().split('\n')
      }
      const name = 'bridge-inspector'
      expect(complete(name, 'status', '--profile', 'M')).toEqual(['My\\ Work', 'My\\ Home'])
      expect(complete(name, 'status', '--profile', 'My\\ W')).toEqual(['My\\ Work'])
      expect(complete(name, 'status', '--profile', '"My W')).toEqual(['My Work'])
      expect(complete(name, '--quiet', 'tree', '--format', 'csv', 'T')).toEqual(['T-1'])
      expect(complete(name, 'call', 'G')).toEqual(['GET'])
      expect(complete(name, 'call', 'GET', '/st')).toEqual(['/status'])
      expect(complete(name, 'content', 'N-1', 'P')).toEqual(['P-1'])
      expect(complete(name, 'cards', 'N-1', 'N')).toEqual(['N-1'])
      expect(complete(name, 'demo-host', '--fault', 'ht')).toEqual(['html-500', 'html-content'])
    },
  )

  test('takes values from the data directory and sends nothing to the host', async () => {
    const dataDir = createTempDir()
    const { host } = await startDemo({ nodes: 20 })
    const app = await startComposedApp(dataDir)
    const auth = { header: 'Authorization', scheme: 'Bearer' }
    const { profile } = await app.call('profiles.save', {
      name: 'My Work',
      baseUrl: host.baseUrl,
      auth,
      readOnly: true,
    })
    await app.call('vault.set', { profileId: profile.id, token: host.token, remember: false })
    await app.call('connection.connect', { profileId: profile.id })
    const { topicid } = host.state.generatedSet
    await app.call('bridge.read', { endpoint: 'studySets.palette', params: { topicid }, query: {} })
    await app.dispose()
    const requestCount = host.log.length
    const completeValues = async (kind: string): Promise<string[]> =>
      (await runCommandLine(['completion', 'values', kind, '--data-dir', dataDir])).stdout
        .toString()
        .trimEnd()
        .split('\n')
    expect(await completeValues('profiles')).toEqual(['My Work'])
    expect(await completeValues('topics')).toEqual([topicid])
    expect(await completeValues('paths')).toContain('/notes/batch-get')
    expect(await completeValues('methods')).toContain('POST')
    expect(host.log).toHaveLength(requestCount)
    await host.close()
  })
})
