/** The door `renown/sdk/node`: gate files, which need a file system and YAML. */
export { type OpenedGateFile, openGateFile, openGateText } from './gate-file.ts';
