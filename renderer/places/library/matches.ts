import { folded } from '../../../shared/format/fold.ts'

/** Whether a title contains the text, or an id begins with it, ignoring case as `folded` does. */
export function matcher(text: string): (title: string | null | undefined, id: string) => boolean {
  const needle = folded(text.trim())
  return (title, id) => folded(title ?? '').includes(needle) || folded(id).startsWith(needle)
}
