import { refused } from '../../shared/errors.ts'
import type { Contents } from '../services/content/service.ts'
import type { Handlers } from './types.ts'

/** Asks the person where to save a file of this name; null where they do not want to. */
export type ChooseFile = (name: string) => Promise<string | null>

/** `chooseFile` is null where the page saves by itself (a browser). */
export function contentHandlers(
  contents: Contents,
  chooseFile: ChooseFile | null,
): Pick<Handlers, Extract<keyof Handlers, `content.${string}`>> {
  return {
    'content.open': (input, { caller, signal }) => contents.open(input, caller, signal),
    'content.release': ({ handle }, { caller }) => {
      contents.release(handle, caller)
      return {}
    },
    'content.slice': ({ handle, start, end }, { caller, signal }) => contents.slice(handle, start, end, caller, signal),
    'content.save': async ({ handle }, { caller, signal }) => {
      if (!chooseFile) throw refused('SAVE_IN_PAGE', 'Only the desktop app saves by a dialog of its own.')
      return { saved: await contents.save(handle, caller, chooseFile, signal) }
    },
  }
}
