/**
 * The words that make a gate look closer, in lower case. The one pass over a text knows all of them, so that a text
 * without any of them costs no more than that pass. A gate that asks for a word that is not here is refused when it is
 * loaded (`wordNumber`).
 */
const FILESYSTEM = `
  rm r find shred mkfs dd chmod chown curl wget iwr irm downloadstring git remove ri del erase rd rmdir format wipefs diskutil dev
  etc passwd shadow system32 windows proc root 2e 252e c0 2f 5c 252f
  ssh aws gnupg kube env npmrc netrc pypirc pgpass azure gcloud docker
  id_rsa id_ed25519 id_ecdsa id_dsa keychains keyrings credentials protect vault`;

const SECRETS = `
  begin bearer basic sk xoxb xoxp xoxa xoxs xoxe xapp glpat sg key ya29 pypi age hvs accountkey sharedaccesskey hooks`;

const CONTENT = `
  sorry apologize apologise apologies cannot can unable able won must decline comply assist language ai cutoff
  professional`;

const INJECTION = `
  ignore disregard forget override bypass overrule instructions instruction prompt system assistant developer important
  im_start im_end inst sys endoftext start_header_id begin_of_text python_tag
  tool_call tool_calls tool_use function_call function_calls function_results invoke
  http https jailbreak jailbroken dan unrestricted exfiltrate send forward reveal do pretend you`;

export const VOCABULARY: readonly string[] = [
  ...new Set(`${FILESYSTEM} ${SECRETS} ${CONTENT} ${INJECTION}`.split(/\s+/).filter((word) => word !== '')),
];
