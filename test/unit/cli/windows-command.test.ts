import { expect, test } from 'vitest'
import { toWindowsCommand } from '../../../cli/base/windows-command.ts'

const env = { Path: 'C:\\bin;C:\\node', PATHEXT: '.EXE;.CMD', ComSpec: 'C:\\cmd.exe' }
const files = new Set(['C:\\bin\\npm', 'C:\\node\\npm.CMD', 'C:\\node\\node.EXE', 'C:\\my tools\\run.bat'])
const toCommand = (program: string, ...args: string[]) =>
  toWindowsCommand(program, args, env, (file) => files.has(file))

test('starts a program without a shell', () => {
  const args = ['-e', 'a & "b" %PATH%']
  expect(toCommand('node', ...args)).toEqual({ file: 'C:\\node\\node.EXE', args, isVerbatim: false })
  expect(toCommand('absent', ...args)).toEqual({ file: 'absent', args, isVerbatim: false })
})

test('starts a batch file with the shell, and quotes each word', () => {
  const { file, args, isVerbatim } = toCommand('npm', 'test', 'a & b', '"c" \\', '%PATH%')
  expect([file, isVerbatim, args.slice(0, -1)]).toEqual(['C:\\cmd.exe', true, ['/e:ON', '/v:OFF', '/d', '/s', '/c']])
  expect(args.at(-1)).toBe(String.raw`""C:\node\npm.CMD" "test" "a & b" """c"" \\" "%%cd:~,%PATH%%cd:~,%""`)
  expect(toCommand('C:\\my tools\\run.bat').args.at(-1)).toBe(String.raw`""C:\my tools\run.bat""`)
})

test('refuses a line break, which ends a command of the shell', () => {
  expect(() => toCommand('npm', 'a\nb')).toThrow('line break')
})
