import type { InjectionKey } from 'vue'

/** Returns true if only the calls of one recording are known, which may be a part of all. */
export const onlyRecordingKey: InjectionKey<() => boolean> = Symbol('only a recording')
