import type { Command } from '../command.ts'
import { hostFlags, outputFlags, type Flag } from '../flags.ts'

const help: readonly Flag[] = outputFlags.filter(({ name }) => name === 'help')

/** Every flag that a command takes: its own, those that choose a host, those of the output. */
export function flagsOf({ flags, host, passes }: Command): readonly Flag[] {
  if (passes) return [...flags, ...help]
  return [...flags, ...(host ? hostFlags : []), ...outputFlags]
}

/** `-o, --output FILE` */
export function flagText({ name, short, value }: Flag): string {
  return `${short ? `-${short}, ` : ''}--${name}${value === undefined ? '' : ` ${value}`}`
}

/** What a flag does, with its choices unless each of them has a sentence of its own. */
export function aboutOf({ about, choices, meanings }: Flag): string {
  if (meanings) return `${about}: one of those listed below`
  return choices ? `${about} (${choices.join(', ')})` : about
}

/** `bridge-inspector call METHOD PATH [flags]` */
export function usageOf({ name, args }: Command): string {
  const parts = args.map((arg) => {
    const text = `${arg.choices ? arg.choices.join('|') : arg.name.toUpperCase()}${arg.many ? '…' : ''}`
    return arg.required ? text : `[${text}]`
  })
  return ['bridge-inspector', name, ...parts, '[flags]'].join(' ')
}
