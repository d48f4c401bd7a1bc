import { setFlagsFromString } from 'node:v8'

/**
 * Makes V8 mark in one step during a full collection instead of incrementally. Each page of a
 * listing is a megabyte outside the heap, so V8 would start to mark every few pages although there
 * is hardly anything to collect, which costs more than the rest of the work for a page. A larger
 * initial heap would also help, but only the command line can set it, and Electron's main process
 * ignores it.
 */
export function preferFullMarkSweep(): void {
  setFlagsFromString('--no-incremental-marking')
}
