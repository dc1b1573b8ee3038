export { separationOfHost } from '../kernel/isolation.ts';
export { type Engine, EngineError, type EngineState } from './engine.ts';
export { Engines, type EnginesOptions, viewEngine } from './engines.ts';
export type { Say, SystemInstaller } from './install.ts';
export { shelf } from './locations.ts';
export { moreToHave } from './more.ts';
export { enginesOf, KUBERNETES_ENGINES } from './table.ts';
