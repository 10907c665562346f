/* All reachable markings of a net as one diagram, by saturation (Ciardo, Luettgen, Siminiceanu 2001): a node is closed
 * under the transitions whose highest level is its own before it is used above, so most of the search happens on small
 * diagrams near the bottom, and what is found there serves wherever the node is met again. */
#pragma once
#include "symbolic/diagram.h"
#include "symbolic/model.h"

/* EMPTY when it was not finished: the budget ended, or the model has a fault. Everything else in the diagram is
 * thrown away whenever it gets full. A model of no levels has the one marking NODE_ONE. */
Node saturate(Diagram *diagram, Model *model);
